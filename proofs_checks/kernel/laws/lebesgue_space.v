(* Lebesgue measure on R^n for every n: sigma-finite, the same after translation and after reflection, and integrals of
   products are products of integrals. The noise of the mechanisms has its density with respect to it. *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import boolp classical_sets functions cardinality fsbigop mathcomp_extra.
From mathcomp Require Import signed reals ereal topology normedtype sequences esum measure.
From mathcomp Require Import lebesgue_measure numfun lebesgue_integral exp.
Import GRing.Theory Num.Theory Order.TTheory.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Lemma measurable_fst d1 d2 (T1 : measurableType d1) (T2 : measurableType d2) :
  measurable_fun setT (fst : T1 * T2 -> T1).
Proof. by have [] := (prod_measurable_funP (@id (T1 * T2))).1 (@measurable_fun_id _ _ setT). Qed.
Lemma measurable_snd d1 d2 (T1 : measurableType d1) (T2 : measurableType d2) :
  measurable_fun setT (snd : T1 * T2 -> T2).
Proof. by have [] := (prod_measurable_funP (@id (T1 * T2))).1 (@measurable_fun_id _ _ setT). Qed.

Section line.
Variable R : realType.
Notation mR := (measurableTypeR R).
Definition shift (p x : R) : R := x + p.
Lemma measurable_shift p : measurable_fun setT (shift p : mR -> mR).
Proof. by apply: measurable_funD; [exact: measurable_fun_id | exact: measurable_fun_cst]. Qed.
Lemma measurable_opp : measurable_fun setT (-%R : mR -> mR).
Proof. exact/measurable_funN/measurable_fun_id. Qed.

(* the measurable structure of the uniqueness theorem of the library *)
Definition intervals := ltac:(let t := type of (@lebesgue_measure_unique R) in
  lazymatch t with forall mu : @Measure.type _ _ (@measure_Measurable__to__measure_SemiRingOfSets ?d ?T), _ => exact T end).

Section moved.
Variables (f : mR -> mR) (mf : measurable_fun setT f).
Definition moved (X : set intervals) : \bar R := lebesgue_measure (f @^-1` (X : set R)).
Lemma moved0 : moved set0 = 0%E. Proof. by rewrite /moved preimage_set0 measure0. Qed.
Lemma moved_ge0 X : (0 <= moved X)%E. Proof. exact: measure_ge0. Qed.
Lemma moved_sigma : semi_sigma_additive moved.
Proof. exact: (@measure_semi_sigma_additive _ _ _ [the {measure set R -> \bar R} of pushforward lebesgue_measure mf]). Qed.
End moved.

Section shifted.
Variable p : R.
Definition shifted := moved (shift p).
HB.instance Definition _ := isMeasure.Build _ _ _ shifted (moved0 (shift p)) (@moved_ge0 (shift p)) (moved_sigma (measurable_shift p)).
Lemma lebesgue_shift (S : set R) : measurable S -> lebesgue_measure (shift p @^-1` S) = lebesgue_measure S.
Proof.
move=> mS; have h := @lebesgue_measure_unique R [the {measure set intervals -> \bar R} of shifted].
rewrite [RHS]h //= => X /ocitvP[->|[[a b] /= ab ->]]; first by rewrite hlength0 /shifted moved0.
rewrite /shifted /moved (_ : _ @^-1` _ = `](a - p), (b - p)]%classic); last first.
  by apply/seteqP; split => x; rewrite /= !in_itv /= /shift ltr_subl_addr ler_subr_addr.
rewrite lebesgue_measure_itv !hlength_itv /= !lte_fin ltr_add2r; case: ifP => // _.
by rewrite -!EFinB opprB addrA subrK.
Qed.
End shifted.

Definition reflected := moved -%R.
HB.instance Definition _ := isMeasure.Build _ _ _ reflected (moved0 -%R) (@moved_ge0 -%R) (moved_sigma measurable_opp).
Lemma lebesgue_opp (S : set R) : measurable S -> lebesgue_measure (-%R @^-1` S) = lebesgue_measure S.
Proof.
move=> mS; have h := @lebesgue_measure_unique R [the {measure set intervals -> \bar R} of reflected].
rewrite [RHS]h //= => X /ocitvP[->|[[a b] /= ab ->]]; first by rewrite hlength0 /reflected moved0.
rewrite /reflected /moved (_ : _ @^-1` _ = `[(- b), (- a)[%classic); last first.
  by apply/seteqP; split => x; rewrite /= !in_itv /= andbC ltr_oppr ler_oppl.
rewrite lebesgue_measure_itv !hlength_itv /= !lte_fin ltr_opp2; case: ifP => // _.
by rewrite -!EFinB opprK addrC.
Qed.

(* the line as the library builds Lebesgue measure on it *)
Local Notation line := (salgebraType (@measurable _ (ocitv_type R))).
Lemma integral_shift p (f : R -> \bar R) : measurable_fun setT f -> (forall x, 0 <= f x)%E ->
  (\int[@lebesgue_measure R]_x f (shift p x) = \int[@lebesgue_measure R]_x f x)%E.
Proof.
move=> mf f0; have ms : @measurable_fun _ _ line line setT (shift p) by exact: measurable_shift.
have mg : @measurable_fun _ _ line _ setT f by exact: mf.
etransitivity; first by symmetry; exact: (integral_pushforward ms
  (lebesgue_measure_lebesgue_measure__canonical__measure_Measure R) mg f0).
by apply: eq_measure_integral => A mA _; exact: lebesgue_shift.
Qed.
Lemma integral_opp (f : R -> \bar R) : measurable_fun setT f -> (forall x, 0 <= f x)%E ->
  (\int[@lebesgue_measure R]_x f (- x)%R = \int[@lebesgue_measure R]_x f x)%E.
Proof.
move=> mf f0; have ms : @measurable_fun _ _ line line setT -%R by exact: measurable_opp.
have mg : @measurable_fun _ _ line _ setT f by exact: mf.
etransitivity; first by symmetry; exact: (integral_pushforward ms
  (lebesgue_measure_lebesgue_measure__canonical__measure_Measure R) mg f0).
by apply: eq_measure_integral => A mA _; exact: lebesgue_opp.
Qed.

Lemma sigma_finite_line : sigma_finite setT (@lebesgue_measure R).
Proof.
exists (fun n : nat => `](- n%:R : R), n%:R]%classic).
  apply/esym; rewrite -subTset => x _; exists `|ceil `|x| |.+1%N => //=.
  have h0 : (0 <= ceil `|x|)%R by rewrite ceil_ge0.
  have h : `|x| < `|ceil `|x| |.+1%:R.
    apply: (le_lt_trans (ceil_ge _)); rewrite -[in X in X < _](gez0_abs h0).
    by rewrite -[X in X < _]/(`|ceil `|x| |%:R) ltr_nat.
  by move: h; rewrite ltr_norml in_itv /= => /andP[-> /ltW].
move=> n; split; first exact: measurable_itv.
by rewrite lebesgue_measure_itv hlength_itv /=; case: ifP => _; rewrite ltry.
Qed.
End line.

Section space.
Variable R : realType.

(* row vectors, measurable through their coordinates *)
Definition rows n := PointedType 'rV[R]_n 0.
Definition coordinate_sets n : set (set (rows n)) :=
  [set A | exists (i : 'I_n) (B : set R), measurable B /\ A = (fun v : 'rV[R]_n => v 0 i) @^-1` B].
Definition space n := salgebraType (@coordinate_sets n).

Lemma measurable_coordinate n (i : 'I_n) : measurable_fun setT (fun x : space n => x 0 i : R).
Proof. by move=> _ B mB; rewrite setTI; apply: sub_sigma_algebra; exists i, B. Qed.

Lemma measurable_into_space n d (T : measurableType d) (f : T -> space n) :
  (forall i, measurable_fun setT (fun t => f t 0 i : R)) -> measurable_fun setT f.
Proof.
move=> mf; apply: (@measurability _ _ T (space n) setT f (@coordinate_sets n)) => //.
by move=> _ [_ [i [B [mB ->]] <-]]; exact: mf.
Qed.

Lemma measurable_add n (p : 'rV[R]_n) : measurable_fun setT (fun x : space n => x + p : space n).
Proof.
apply: measurable_into_space => i; under eq_fun do rewrite mxE.
by apply: measurable_funD; [exact: measurable_coordinate | exact: measurable_fun_cst].
Qed.
Lemma measurable_negate n : measurable_fun setT (fun x : space n => - x : space n).
Proof.
apply: measurable_into_space => i; under eq_fun do rewrite mxE.
by apply: measurable_funN; exact: measurable_coordinate.
Qed.

Definition join n (xy : R * space n) : space n.+1 :=
  \row_i (if unlift ord0 i is Some j then xy.2 0 j else xy.1).
Definition parts n (z : space n.+1) : R * space n := (z 0 ord0, \row_j z 0 (lift ord0 j)).
Lemma measurable_join n : measurable_fun setT (@join n).
Proof.
apply: measurable_into_space => i; under eq_fun do rewrite mxE.
case: unlift => [j|]; last exact: measurable_fst.
exact: (measurable_fun_comp (measurable_coordinate j) (@measurable_snd _ _ _ (space n))).
Qed.
Lemma measurable_parts n : measurable_fun setT (@parts n).
Proof.
apply/prod_measurable_funP; split; first exact: measurable_coordinate.
by apply: measurable_into_space => j; under eq_fun do rewrite mxE; exact: measurable_coordinate.
Qed.
Lemma partsK n : cancel (@parts n) (@join n).
Proof. by move=> z; apply/rowP => i; rewrite mxE; case: unliftP => [j|] ->; rewrite ?mxE. Qed.
Lemma joinK n : cancel (@join n) (@parts n).
Proof.
move=> [x y]; rewrite /parts /join mxE unlift_none /=; congr pair.
by apply/rowP => j; rewrite !mxE liftK.
Qed.

Definition product_with_line n (mu : {measure set (space n) -> \bar R}) (sf : sigma_finite setT mu) :
  {measure set (space n.+1) -> \bar R} :=
  [the {measure set _ -> \bar R} of pushforward
    [the {measure set _ -> \bar R} of product_measure1 (@lebesgue_measure R) sf] (@measurable_join n)].

Lemma sigma_finite_product n (mu : {measure set (space n) -> \bar R}) (sf : sigma_finite setT mu) :
  sigma_finite setT (product_with_line sf).
Proof.
have /sigma_finiteP[A AT [Ai Af]] := sigma_finite_line R.
have /sigma_finiteP[B BT [Bi Bf]] := sf.
exists (fun k => @parts n @^-1` (A k `*` B k)).
  apply/esym; rewrite -subTset => z _.
  have : (\bigcup_k A k) (parts z).1 by rewrite -AT.
  have : (\bigcup_k B k) (parts z).2 by rewrite -BT.
  move=> [j _ Bj] [i _ Ai']; exists (maxn i j) => //; split.
    by have /subsetPset := Ai _ _ (leq_maxl i j); exact.
  by have /subsetPset := Bi _ _ (leq_maxr i j); exact.
move=> k; have [mA fA] := Af k; have [mB fB] := Bf k; split.
  by rewrite -[X in measurable X]setTI; apply: measurable_parts => //; exact: measurableM.
rewrite /= /pushforward (_ : _ @^-1` _ = A k `*` B k); last first.
  by apply/funext => xy; rewrite /preimage /mkset joinK.
by rewrite product_measure1E//= lte_mul_pinfty// ge0_fin_numE.
Qed.

Fixpoint lebesgue_package n : {mu : {measure set (space n) -> \bar R} | sigma_finite setT mu}.
Proof.
case: n => [|n].
  exists [the {measure set _ -> \bar R} of dirac (0 : space 0)].
  exists (fun=> setT); first by apply/esym; rewrite -subTset => x _; exists 0%N.
  move=> k; split=> //; exact: (ltry (\1_setT (0 : space 0) : R)).
have [mu sf] := lebesgue_package n.
by exists (product_with_line sf); exact: sigma_finite_product.
Defined.
Definition lebesgue n := sval (lebesgue_package n).
Lemma sigma_finite_space n : sigma_finite setT (lebesgue n). Proof. exact: (proj2_sig (lebesgue_package n)). Qed.

Lemma lebesgueS n (S : set (space n.+1)) :
  lebesgue n.+1 S = (\int[@lebesgue_measure R]_x lebesgue n (xsection (@join n @^-1` S) x))%E.
Proof. by rewrite /lebesgue /=; case: (lebesgue_package n). Qed.

Lemma measurable_section_measure n (S : set (space n.+1)) : measurable S ->
  measurable_fun setT (fun x : R => lebesgue n (xsection (@join n @^-1` S) x)).
Proof.
move=> mS; apply: (measurable_fun_xsection (sigma_finite_space n)); rewrite inE.
by rewrite -[X in measurable X]setTI; exact: measurable_join.
Qed.

(* translations and reflection *)
Theorem lebesgue_translation n (p : 'rV[R]_n) (S : set (space n)) : measurable S ->
  lebesgue n ((fun x : space n => x + p : space n) @^-1` S) = lebesgue n S.
Proof.
elim: n p S => [|n IH] p S mS.
  by rewrite (_ : _ @^-1` S = S)//; apply/funext => x; rewrite /preimage /mkset (_ : x + p = x)//; apply/rowP => -[].
have mj : measurable (@join n @^-1` S) by rewrite -[X in measurable X]setTI; exact: measurable_join.
rewrite !lebesgueS; pose phi x := lebesgue n (xsection (@join n @^-1` S) x).
transitivity (\int[@lebesgue_measure R]_x phi (shift (p 0%R ord0) x))%E.
  apply: eq_integral => x _; rewrite /phi -[RHS](IH (\row_j p 0 (lift ord0 j))); last exact: measurable_xsection.
  congr (lebesgue n _); apply/funext => y; rewrite /xsection /preimage /mkset !in_setE /mkset /=.
  congr (S _); apply/rowP => i; rewrite !mxE; case: unliftP => [j|] -> //.
  by rewrite !mxE.
apply: (@integral_shift R (p 0 ord0) phi); first exact: measurable_section_measure.
by move=> x; exact: measure_ge0.
Qed.

Theorem lebesgue_reflection n (S : set (space n)) : measurable S ->
  lebesgue n ((fun x : space n => - x : space n) @^-1` S) = lebesgue n S.
Proof.
elim: n S => [|n IH] S mS.
  by rewrite (_ : _ @^-1` S = S)//; apply/funext => x; rewrite /preimage /mkset (_ : - x = x)//; apply/rowP => -[].
have mj : measurable (@join n @^-1` S) by rewrite -[X in measurable X]setTI; exact: measurable_join.
rewrite !lebesgueS; pose phi x := lebesgue n (xsection (@join n @^-1` S) x).
transitivity (\int[@lebesgue_measure R]_x phi (- x)%R)%E.
  apply: eq_integral => x _; rewrite /phi -[RHS]IH; last exact: measurable_xsection.
  congr (lebesgue n _); apply/funext => y; rewrite /xsection /preimage /mkset !in_setE /mkset /=.
  congr (S _); apply/rowP => i; rewrite !mxE; case: unliftP => [j|] _ //.
  by rewrite !mxE.
apply: (@integral_opp R phi); first exact: measurable_section_measure.
by move=> x; exact: measure_ge0.
Qed.

Lemma integral_translation n (p : 'rV[R]_n) (f : space n -> \bar R) : measurable_fun setT f -> (forall x, 0 <= f x)%E ->
  (\int[lebesgue n]_x f (x + p : 'rV[R]_n)%R = \int[lebesgue n]_x f x)%E.
Proof.
move=> mf f0; rewrite -(integral_pushforward (measurable_add p))//.
by apply: eq_measure_integral => S mS _; exact: lebesgue_translation.
Qed.
Lemma integral_reflection n (f : space n -> \bar R) : measurable_fun setT f -> (forall x, 0 <= f x)%E ->
  (\int[lebesgue n]_x f (- x : 'rV[R]_n)%R = \int[lebesgue n]_x f x)%E.
Proof.
move=> mf f0; rewrite -(integral_pushforward (@measurable_negate n))//.
by apply: eq_measure_integral => S mS _; exact: lebesgue_reflection.
Qed.

(* an integral over R^n+1 is one over R of integrals over R^n *)
Lemma integral_join n (f : space n.+1 -> \bar R) : measurable_fun setT f -> (forall x, 0 <= f x)%E ->
  (\int[lebesgue n.+1]_z f z = \int[@lebesgue_measure R]_x \int[lebesgue n]_y f (join (x, y)))%E.
Proof.
move=> mf f0; rewrite /lebesgue /=; case: (lebesgue_package n) => mu sf /=.
pose line := salgebraType (@measurable _ (ocitv_type R)).
have mj : @measurable_fun _ _ [the measurableType _ of (line * space n)%type] _ setT (@join n) by exact: measurable_join.
have mfj : @measurable_fun _ _ [the measurableType _ of (line * space n)%type] _ setT (f \o @join n).
  by exact: (measurable_fun_comp mf mj).
etransitivity; first exact: (integral_pushforward mj _ mf f0).
have h := @fubini_tonelli1 _ _ line (space n) R
  (lebesgue_measure_lebesgue_measure__canonical__measure_Measure R) mu sf (f \o @join n) mfj (fun z => f0 (join z)).
exact h.
Qed.

Lemma measurable_product n (f : 'I_n -> R -> R) : (forall i, measurable_fun setT (f i)) ->
  measurable_fun setT (fun x : space n => \prod_i f i (x 0 i)).
Proof.
move=> mf; suff h s : measurable_fun setT (fun x : space n => \prod_(i <- s) f i (x 0 i)) by exact: h.
elim: s => [|i s IH]; first by under eq_fun do rewrite big_nil; exact: measurable_fun_cst.
under eq_fun do rewrite big_cons; apply: measurable_funM => //.
by apply: measurable_fun_comp => //; exact: measurable_coordinate.
Qed.

Lemma integral_product n (f : 'I_n -> R -> R) : (forall i, measurable_fun setT (f i)) -> (forall i x, 0 <= f i x) ->
  (\int[lebesgue n]_x (\prod_i f i (x 0%R i))%R%:E =
   \big[mule/1%E]_i \int[@lebesgue_measure R]_x (f i x)%:E)%E.
Proof.
elim: n f => [|n IH] f mf f0.
  rewrite big_ord0 (eq_integral (cst 1%E)) => [|x _]; last by rewrite big_ord0.
  by rewrite integral_dirac//= ?indicT ?mul1e//; exact: measurable_fun_cst.
rewrite integral_join => [||x]; last 2 first.
- by apply: measurable_fun_comp; [exact: measurable_fun_EFin | exact: measurable_product].
- by rewrite lee_fin prodr_ge0.
pose g i := f (lift ord0 i); pose c := (\int[lebesgue n]_y (\prod_i g i (y 0%R i))%R%:E)%E.
have c0 : (0 <= c)%E by apply: integral_ge0 => y _; rewrite lee_fin prodr_ge0// => i _; exact: f0.
transitivity (\int[@lebesgue_measure R]_x (c * (f ord0 x)%:E))%E.
  apply: eq_integral => x _; rewrite muleC -ge0_integralM//; last 3 first.
  - by apply: measurable_fun_comp; [exact: measurable_fun_EFin | apply: measurable_product => i; exact: mf].
  - by move=> y _; rewrite lee_fin prodr_ge0// => i _; exact: f0.
  - by rewrite lee_fin.
  apply: eq_integral => y _; rewrite -EFinM big_ord_recl mxE unlift_none; congr (_ * _)%R%:E.
  by apply: eq_bigr => i _; rewrite mxE liftK.
rewrite ge0_integralM//; last 2 first.
- by apply: measurable_fun_comp; [exact: measurable_fun_EFin | exact: mf].
- by move=> x _; rewrite lee_fin.
by rewrite big_ord_recl muleC /c IH => [//||i x]; [move=> i; exact: mf | exact: f0].
Qed.
End space.
