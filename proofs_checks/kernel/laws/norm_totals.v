(* The integral of exp(-h) over R^n is positive and finite where h is between two multiples of the l1 norm, as the norms of
   one record are: K-norm noise is a probability law. *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import boolp classical_sets functions cardinality fsbigop mathcomp_extra.
From mathcomp Require Import signed reals ereal topology normedtype sequences esum measure.
From mathcomp Require Import lebesgue_measure numfun lebesgue_integral exp.
From DPMatrix.matrices Require Import inner_products spectral_theorem.
From DPMatrix Require Import differential_privacy lebesgue_space additive_noise second_moment wishart_noise.
From DPMatrix Require Import norm_noise k_norm positive_parts.
Import GRing.Theory Num.Theory Order.TTheory.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section line.
Variables (R : realType) (a : R).
Hypothesis a0 : 0 < a.
Notation mu := (@lebesgue_measure R).
Notation unit := (`[0, 1]%classic : set R).

Lemma unit_length : (\int[mu]_t (\1_unit t)%:E = 1)%E.
Proof.
rewrite integral_indic; [|exact: measurableT|exact: measurable_itv].
rewrite setIT; have := @lebesgue_measure_itv R `[0, 1].
by rewrite hlength_itv /= lte_fin ltr01 oppr0 adde0.
Qed.

(* exp(-a t) on [0, m] *)
Definition piece (m : nat) (t : R) : \bar R := (expR (- (a * t)) * \1_(`[0, m%:R]%classic : set R) t)%:E.
Definition limit_of_pieces : R := (1 - expR (- a))^-1.
Lemma decay_lt1 : expR (- a) < 1. Proof. by rewrite expR_lt1 oppr_lt0. Qed.
Lemma piece_ge0 m t : (0 <= piece m t)%E.
Proof. by rewrite lee_fin mulr_ge0 ?(ltW (expR_gt0 _))// indicE ler0n. Qed.
Lemma measurable_piece m : measurable_fun setT (piece m).
Proof.
apply: measurable_fun_comp; first exact: measurable_fun_EFin.
apply: measurable_funM; last exact: (measurable_fun_indic (measurable_itv _)).
apply: (measurable_fun_comp (@measurable_expR R)); apply: measurable_funN.
by apply: measurable_funM; [exact: measurable_fun_cst | exact: measurable_fun_id].
Qed.
Lemma piece_le m n t : (m <= n)%N -> (piece m t <= piece n t)%E.
Proof.
move=> mn; rewrite lee_fin ler_wpmul2l ?(ltW (expR_gt0 _))// !indicE ler_nat.
case: (boolP (t \in `[0, m%:R]%classic)) => // /set_mem; rewrite /= in_itv /= => /andP[t0 tm].
by rewrite mem_set//= in_itv /= t0 (le_trans tm)// ler_nat.
Qed.

(* the integral over [1, m + 1] is e^-a times that over [0, m] *)
Lemma piece_bounded m : (\int[mu]_t piece m t <= limit_of_pieces%:E)%E.
Proof.
have mi : measurable_fun setT (fun t : R => (\1_unit t : R)%:E) by apply/EFin_measurable_fun; exact: (measurable_fun_indic (measurable_itv _)).
have i0 t : (0 <= (\1_unit t : R)%:E)%E by rewrite lee_fin indicE ler0n.
have one : 1 + expR (- a) * limit_of_pieces = limit_of_pieces.
  rewrite /limit_of_pieces -[X in X + _](@mulfV _ (1 - expR (- a))) ?subr_eq0 1?eq_sym ?(lt_eqF decay_lt1)//.
  by rewrite -mulrDl subrK mul1r.
elim: m => [|m IH].
  apply: (@le_trans _ _ 1%E); last by rewrite lee_fin -one ler_addl mulr_ge0 ?(ltW (expR_gt0 _))// invr_ge0 subr_ge0 ltW ?decay_lt1.
  rewrite -unit_length; apply: ge0_le_integral => // [t _||t _]; [exact: piece_ge0 | exact: measurable_piece |].
  rewrite lee_fin !indicE; case: (boolP (t \in `[0, 0%:R]%classic)) => [/set_mem|_]; last by rewrite mulr0 ler0n.
  rewrite /= in_itv /= -eq_le => /eqP <-; rewrite mulr0 oppr0 expR0 mul1r mem_set//= in_itv /= lexx; exact: ler01.
apply: (@le_trans _ _ (\int[mu]_t ((\1_unit t)%:E + (expR (- a))%:E * piece m (shift (-1) t)))%E); last first.
  have ms : measurable_fun setT (fun t => piece m (shift (-1) t)).
    exact: (measurable_fun_comp (measurable_piece m) (measurable_shift (-1))).
  rewrite ge0_integralD//; last 2 first.
  - by move=> t _; rewrite mule_ge0 ?piece_ge0 ?expR_ge0E.
  - exact: measurable_funeM.
  rewrite unit_length ge0_integralM//; [|by move=> t _; exact: piece_ge0|exact: expR_ge0E].
  rewrite (integral_shift _ (measurable_piece m) (piece_ge0 m)) -one EFinD lee_add2l// EFinM.
  by apply: lee_wpmul2l; first exact: expR_ge0E.
apply: ge0_le_integral => // [t _||||t _].
- exact: piece_ge0.
- exact: measurable_piece.
- by move=> t _; rewrite adde_ge0// mule_ge0 ?piece_ge0 ?expR_ge0E.
- apply: emeasurable_funD => //; apply: measurable_funeM.
  exact: (measurable_fun_comp (measurable_piece m) (measurable_shift (-1))).
have e : expR (- a) * expR (- (a * (t - 1))) = expR (- (a * t)) by rewrite -expRD mulrBr mulr1 opprB addKr.
rewrite -EFinM -EFinD lee_fin /shift mulrA e !indicE; case: (boolP (t \in `[0, m.+1%:R]%classic)) => [/set_mem|_]; last first.
  by rewrite mulr0 addr_ge0// mulr_ge0 ?ler0n// ltW ?expR_gt0.
rewrite /= in_itv /= mulr1 => /andP[t0 tm]; have [t1|/ltW t1] := lerP t 1.
  rewrite [t \in _]mem_set /= ?in_itv /= ?t0// ler_paddr ?mulr_ge0 ?ler0n ?(ltW (expR_gt0 _))//.
  by rewrite -expR0 ler_expR oppr_le0 mulr_ge0// ltW.
by rewrite (mem_set (_ : `[0, m%:R]%classic (t - 1))) ?mulr1 ?ler_addr ?ler0n//= in_itv /= subr_ge0 t1 ler_subl_addr natr1.
Qed.

Definition two_sided (t : R) : \bar R := (expR (- (a * `|t|)))%:E.
Lemma measurable_two_sided : measurable_fun setT two_sided.
Proof.
apply: measurable_fun_comp; first exact: measurable_fun_EFin.
apply: (measurable_fun_comp (@measurable_expR R)); apply: measurable_funN.
by apply: measurable_funM; [exact: measurable_fun_cst | exact: measurable_fun_normr].
Qed.

Lemma line_total_finite : (\int[mu]_t two_sided t < +oo)%E.
Proof.
pose both m t := (piece m t + piece m (- t)%R)%E.
have mo m : measurable_fun setT (fun t : R => piece m (- t)) by exact: (measurable_fun_comp (measurable_piece m) (@measurable_opp R)).
have mb m : measurable_fun setT (both m) by apply: emeasurable_funD; [exact: measurable_piece | exact: mo].
have b0 m t : (0 <= both m t)%E by rewrite adde_ge0 ?piece_ge0.
have nd t : {homo both^~ t : m n / (m <= n)%N >-> (m <= n)%E} by move=> m n mn; apply: lee_add; exact: piece_le.
have total m : (\int[mu]_t both m t <= (limit_of_pieces + limit_of_pieces)%:E)%E.
  rewrite ge0_integralD//; [|by move=> t _; exact: piece_ge0|exact: measurable_piece|by move=> t _; exact: piece_ge0|exact: mo].
  by rewrite (integral_opp (measurable_piece m) (piece_ge0 m)) EFinD lee_add ?piece_bounded.
have mlim : measurable_fun setT (fun t : R => lim (both^~ t)).
  apply: emeasurable_fun_cvg; first exact: mb.
  by move=> t _; exact: ereal_nondecreasing_is_cvg.
apply: (@le_lt_trans _ _ (limit_of_pieces + limit_of_pieces)%:E); last exact: ltry.
apply: (@le_trans _ _ (\int[mu]_t lim (both^~ t))%E); last first.
  rewrite monotone_convergence//; apply: lime_le; last by apply: nearW => m; exact: total.
  apply: ereal_nondecreasing_is_cvg => m n mn; apply: ge0_le_integral;
    by first [exact: measurableT | exact: mb | move=> t _; exact: b0 | move=> t _; exact: nd].
apply: ge0_le_integral => // [t _|||t _].
- exact: expR_ge0E.
- exact: measurable_two_sided.
- move=> t _; apply: lime_ge; [exact: ereal_nondecreasing_is_cvg | by apply: nearW => m; exact: b0].
apply: lime_ge; first exact: ereal_nondecreasing_is_cvg.
exists `|ceil `|t| |%N => // m /= tm; have tm' : `|t| <= m%:R.
  apply: (le_trans (ceil_ge _)); rewrite -(gez0_abs (ceil_ge0 (normr_ge0 t))) -[X in X <= _]/(`|ceil `|t| |%:R).
  by rewrite ler_nat.
have inside (s : R) : `|t| = s -> (two_sided t <= piece m s)%E.
  move=> ts; rewrite /two_sided /piece ts lee_fin indicE mem_set ?mulr1//=.
  by rewrite in_itv /= -ts normr_ge0.
have [t0|/ltW t0] := lerP 0 t.
  by apply: le_trans (lee_addl _ (piece_ge0 m (- t))); apply: inside; rewrite ger0_norm.
by apply: le_trans (lee_addr _ (piece_ge0 m t)); apply: inside; rewrite ler0_norm.
Qed.

Lemma line_total : (0 < \int[mu]_t two_sided t < +oo)%E.
Proof.
rewrite line_total_finite andbT; apply: (@lt_le_trans _ _ (expR (- a))%:E); first by rewrite lte_fin expR_gt0.
have mi : measurable_fun setT (fun t : R => (\1_unit t : R)%:E) by apply/EFin_measurable_fun; exact: (measurable_fun_indic (measurable_itv _)).
have i0 t : (0 <= (\1_unit t : R)%:E)%E by rewrite lee_fin indicE ler0n.
rewrite -[leLHS]mule1 -unit_length -ge0_integralM//; last exact: expR_ge0E.
apply: ge0_le_integral => // [t _||t _||t _].
- by rewrite mule_ge0 ?expR_ge0E.
- exact: measurable_funeM.
- exact: expR_ge0E.
- exact: measurable_two_sided.
rewrite -EFinM lee_fin indicE; case: (boolP (t \in unit)) => [/set_mem|_]; last by rewrite mulr0 ltW ?expR_gt0.
by rewrite /= in_itv /= mulr1 ler_expR => /andP[t0 t1]; rewrite ler_opp2 ger0_norm// ler_pimulr// ltW.
Qed.
End line.

Section space.
Variables (R : realType) (n : nat).

Lemma l1_total (a : R) : 0 < a -> (0 < norm_total (fun x : 'rV[R]_n => a * l1_norm x)%R < +oo)%E.
Proof.
move=> a0; pose f (i : 'I_n) (t : R) := expR (- (a * `|t|)).
have mf i : measurable_fun setT (f i) by apply/EFin_measurable_fun; exact: measurable_two_sided.
have -> : norm_total (fun x : 'rV[R]_n => a * l1_norm x) =
    (\big[mule/1%E]_(i < n) \int[@lebesgue_measure R]_t two_sided a t)%E.
  rewrite -(integral_product mf) => [|i t]; last exact/ltW/expR_gt0.
  apply: eq_integral => x _; congr EFin; rewrite /l1_norm mulr_sumr -sumrN.
  by apply: (big_morph expR) => [s t|]; rewrite ?expRD ?expR0.
apply: (big_ind (fun z => 0 < z < +oo)%E) => [|x y /andP[x0 x1] /andP[y0 y1]|i _].
- by rewrite lte_fin ltr01 ltry.
- rewrite mule_gt0//= lte_mul_pinfty//; [exact: ltW | by rewrite ge0_fin_numE// ltW].
- exact: line_total.
Qed.

(* between two multiples of the l1 norm *)
Lemma total_between (h : 'rV[R]_n -> R) (a C : R) : measurable_fun setT (h : space R n -> R) -> 0 < a ->
  (forall x, a * l1_norm x <= h x) -> (forall x, h x <= C * l1_norm x) -> (0 < norm_total h < +oo)%E.
Proof.
move=> mh a0 lo hi; have me (g : 'rV[R]_n -> R) : measurable_fun setT (g : space R n -> R) ->
    measurable_fun setT (fun x : space R n => (expR (- g x))%:E).
  move=> mg; apply: measurable_fun_comp; first exact: measurable_fun_EFin.
  by apply: (measurable_fun_comp (@measurable_expR R)); exact: measurable_funN.
have ml (b : R) : measurable_fun setT (fun x : space R n => b * l1_norm x).
  by apply: measurable_funM; [exact: measurable_fun_cst | exact: measurable_l1].
have total_le (g k : 'rV[R]_n -> R) : measurable_fun setT (g : space R n -> R) ->
    measurable_fun setT (k : space R n -> R) -> (forall x, g x <= k x) -> (norm_total k <= norm_total g)%E.
  move=> mg mk gk; apply: ge0_le_integral; by first [exact: measurableT | exact: me | move=> x _; exact: expR_ge0E |
    move=> x _; rewrite lee_fin ler_expR ler_opp2].
have [_ fin] := andP (l1_total a0); have C0 : 0 < Num.max C 1 by rewrite lt_maxr ltr01 orbT.
have [pos _] := andP (l1_total C0); apply/andP; split; last exact: le_lt_trans (total_le _ _ (ml a) mh lo) fin.
apply: (lt_le_trans pos); apply: total_le => // x; apply: le_trans (hi x) _.
by rewrite ler_wpmul2r ?sumr_ge0// le_maxr lexx.
Qed.
End space.

Section norms.
Variables (R : realType) (d : nat).
Implicit Types x : 'rV[R]_(triangle_size d).

Lemma coordinate_le_nuclear x k : `|x 0 k| <= nuclear_norm x.
Proof.
have [Q [l [QQ xE]]] := diagonalisation (symmetric_matrixT x).
have [_ _ ->] := norms_of_eigenvalues QQ xE; set s := \sum_i _.
have s0 : 0 <= s by exact: sumr_ge0.
rewrite -ler_sqr ?nnegrE// real_normK ?num_real//; apply: le_trans (coordinate_le x k) _.
rewrite -[x](symmetric_matrixK x) xE pairing_frame// expr2 {1}/s mulr_suml; apply: ler_sum => i _.
rewrite -expr2 -real_normK ?num_real// expr2 ler_wpmul2l// /s (bigD1 i)//= ler_addl; exact: sumr_ge0.
Qed.
Lemma nuclear_norm_ge0 x : 0 <= nuclear_norm x.
Proof.
have [Q [l [QQ xE]]] := diagonalisation (symmetric_matrixT x).
by have [_ _ ->] := norms_of_eigenvalues QQ xE; exact: sumr_ge0.
Qed.
Lemma l1_le_nuclear x : l1_norm x <= (triangle_size d).+1%:R * nuclear_norm x.
Proof.
apply: (@le_trans _ _ (\sum_(k < triangle_size d) nuclear_norm x)).
  by apply: ler_sum => k _; exact: coordinate_le_nuclear.
by rewrite sumr_const card_ord -[leLHS]mulr_natl ler_wpmul2r ?nuclear_norm_ge0// ler_nat.
Qed.
Lemma nuclear_le_replaced x : nuclear_norm x <= 2%:R * replaced_norm x.
Proof. by rewrite mulr_natl mulr2n; apply: ler_add; rewrite le_maxr lexx ?orbT. Qed.

Lemma norm_total_between (h : 'rV[R]_(triangle_size d) -> R) (c : R) : 0 < c ->
  (forall x y, h (x + y) <= h x + h y) -> (forall a x, 0 <= a -> h (a *: x) = a * h x) ->
  (forall x, nuclear_norm x <= 2%:R * h x) -> (0 < norm_total (fun x => c * h x)%R < +oo)%E.
Proof.
move=> c0 hD hZ nh; have [C _ hC] := gauge_bounded hD hZ; set k := (triangle_size d).+1%:R : R.
have k0 : 0 < k * 2%:R by rewrite mulr_gt0 ?ltr0n.
apply: (@total_between _ _ _ (c / (k * 2%:R)) (c * C)) => [||x|x].
- by apply: measurable_funM; [exact: measurable_fun_cst | exact: measurable_gauge].
- exact: divr_gt0.
- rewrite -mulrA ler_pmul2l// ler_pdivr_mull// -mulrA (le_trans (l1_le_nuclear x))// ler_wpmul2l ?ler0n//; exact: nh.
- by rewrite -mulrA ler_pmul2l.
Qed.
End norms.

(* K-norm noise is a probability law: its density is divided by a positive number *)
Theorem k_norm_total (R : realType) (d n : nat) (eps : R) : (0 < n)%N -> 0 < eps ->
  let total (h : 'rV[R]_(triangle_size d) -> R) := norm_total (fun x => n%:R * eps * h x) in
  (0 < total (@replaced_norm R d) < +oo)%E /\ (0 < total (@nuclear_norm R d) < +oo)%E.
Proof.
move=> n0 eps0 total; have r0 : 0 < n%:R * eps by rewrite mulr_gt0 ?ltr0n.
split; apply: norm_total_between => //.
- exact: replaced_normD.
- exact: replaced_normZ.
- exact: nuclear_le_replaced.
- exact: nuclear_normD.
- exact: nuclear_normZ.
- move=> x; rewrite mulr_natl mulr2n ler_addl; exact: nuclear_norm_ge0.
Qed.
