(* Noise of density proportional to exp(-h) for a subadditive h, the K-norm mechanism of Hardt and Talwar (2010): what it
   hides, and that h is measurable where it is a norm. *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import boolp classical_sets functions cardinality fsbigop mathcomp_extra.
From mathcomp Require Import signed reals ereal topology normedtype sequences esum measure.
From mathcomp Require Import lebesgue_measure numfun lebesgue_integral exp.
From DPMatrix Require Import differential_privacy lebesgue_space additive_noise.
Import GRing.Theory Num.Theory Order.TTheory.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section subadditive.
Variables (R : realType) (n : nat) (h : 'rV[R]_n -> R).
Hypothesis hm : measurable_fun setT (h : space R n -> R).
Hypothesis hD : forall x y, h (x + y) <= h x + h y.

Definition norm_total : \bar R := (\int[lebesgue R n]_x (expR (- h x))%:E)%E.
(* the density exp(-h) over its integral *)
Definition norm_noise (x : space R n) : \bar R := ((fine norm_total)^-1 * expR (- h x))%:E.

Lemma norm_scale_ge0 : 0 <= (fine norm_total)^-1.
Proof. by rewrite invr_ge0 fine_ge0// integral_ge0// => x _; exact: expR_ge0E. Qed.
Lemma norm_noise_ge0 x : (0 <= norm_noise x)%E.
Proof. by rewrite lee_fin mulr_ge0 ?norm_scale_ge0// ltW// expR_gt0. Qed.
Lemma measurable_norm_noise : measurable_fun setT norm_noise.
Proof.
apply: measurable_fun_comp; first exact: measurable_fun_EFin.
apply: measurable_funM; first exact: measurable_fun_cst.
by apply: (measurable_fun_comp (@measurable_expR R)); exact: measurable_funN.
Qed.

(* h need not be even: what it bounds is every ordered pair of neighbours *)
Lemma norm_noise_is_private (D : Type) (neighbours : D -> D -> Prop) (q : D -> 'rV[R]_n) (eps : R) :
  (forall x y, neighbours x y -> h (q x - q y) <= eps) ->
  differentially_private neighbours eps 0 (fun x => noisy norm_noise (q x)).
Proof.
move=> small; apply: additive_noise_is_private; [exact: measurable_norm_noise | exact: norm_noise_ge0 |].
move=> x y xy z; rewrite -EFinM lee_fin [leRHS]mulrCA ler_wpmul2l ?norm_scale_ge0//.
rewrite -expRD ler_expR ler_oppl opprB ler_subl_addl.
have -> : z - q y = z - q x + (q x - q y) by rewrite addrA subrK.
by rewrite (le_trans (hD _ _))// addrC ler_add2r small.
Qed.
End subadditive.

(* a function that is Lipschitz in the l1 norm is measurable: rational vectors decide *)
Section lipschitz.
Variables (R : realType) (n : nat) (h : 'rV[R]_n -> R) (C : R).
Hypotheses (C0 : 0 <= C) (lip : forall x y, h x <= h y + C * l1_norm (x - y)).

Lemma rational_near (x : 'rV[R]_n) (eta : R) : 0 < eta -> exists q : 'rV[rat]_n, l1_norm (x - map_mx ratr q) < eta.
Proof.
move=> eta0; pose delta := eta / n.+1%:R; have delta0 : 0 < delta by rewrite divr_gt0.
have [q qP] : {q : 'I_n -> rat & forall i, x 0 i < ratr (q i) < x 0 i + delta}.
  apply: (@choice _ _ (fun i (r : rat) => is_true (x 0 i < ratr r < x 0 i + delta))) => i.
  have [|r] := @rat_in_itvoo R (x 0 i) (x 0 i + delta); first by rewrite ltr_addl.
  by rewrite in_itv /= => hr; exists r.
exists (\row_i q i); apply: (@le_lt_trans _ _ (\sum_(i < n) delta)).
  by apply: ler_sum => i _; rewrite !mxE distrC; have /andP[a b] := qP i; rewrite ger0_norm ?subr_ge0 1?ltW// ltr_subl_addl.
by rewrite sumr_const card_ord -mulr_natr mulrAC ltr_pdivr_mulr// ltr_pmul2l// ltr_nat.
Qed.

Lemma measurable_lipschitz : measurable_fun setT (h : space R n -> R).
Proof.
pose near (q : 'rV[rat]_n) (x : space R n) : R := h (map_mx ratr q) + C * l1_norm (x - map_mx ratr q).
have mnear q : measurable_fun setT (near q).
  apply: measurable_funD; first exact: measurable_fun_cst.
  apply: measurable_funM; first exact: measurable_fun_cst.
  exact: (measurable_fun_comp (@measurable_l1 R n) (measurable_add (- map_mx ratr q))).
move=> _; apply: (measurability (RGenInftyO.measurableE R)) => // _ [_ [a ->] <-].
rewrite setTI (_ : _ @^-1` _ = \bigcup_m (if @unpickle [countType of 'rV[rat]_n] m is Some q
  then near q @^-1` `]-oo, a[%classic else set0)).
  apply: bigcupT_measurable => m; case: unpickle => [q|]; last exact: measurable0.
  by rewrite -[X in measurable X]setTI; apply: mnear => //; exact: measurable_itv.
apply/seteqP; split => [x|x [m _]]; last first.
  case: unpickle => // q; rewrite /preimage /mkset !in_itv /=.
  by apply: le_lt_trans; exact: lip.
rewrite /preimage /mkset in_itv /= => hx.
have C1 : 0 < 2%:R * (C + 1) by rewrite mulr_gt0// ltr_spaddr.
have [|q] := @rational_near x ((a - h x) / (2%:R * (C + 1))); first by rewrite divr_gt0// subr_gt0.
rewrite ltr_pdivl_mulr// => close.
exists (pickle q) => //; rewrite pickleK in_itv /=.
have l1C u : l1_norm (- u) = l1_norm u :> R by apply: eq_bigr => i _; rewrite mxE normrN.
have l0 : 0 <= l1_norm (x - map_mx ratr q) by exact: sumr_ge0.
have := lip (map_mx ratr q) x; rewrite -opprB l1C => b.
apply: (@le_lt_trans _ _ (h x + l1_norm (x - map_mx ratr q) * (2%:R * (C + 1)))); last by rewrite addrC -ltr_subr_addr.
rewrite (le_trans (ler_add b (lexx _)))// -addrA ler_add2l -mulrDl mulrC ler_wpmul2l//.
by rewrite mulrDr mulr1 mulr_natl mulr2n ler_addl.
Qed.
End lipschitz.

(* a subadditive and positively homogeneous function is Lipschitz *)
Section gauge.
Variables (R : realType) (n : nat) (h : 'rV[R]_n -> R).
Hypothesis hD : forall x y, h (x + y) <= h x + h y.
Hypothesis hZ : forall a x, 0 <= a -> h (a *: x) = a * h x.

Lemma gauge_bounded : exists2 C, 0 <= C & forall x, h x <= C * l1_norm x.
Proof.
pose e k : 'rV[R]_n := delta_mx 0 k; pose c k := `|h (e k)| + `|h (- e k)|.
have c0 k : 0 <= c k by rewrite addr_ge0.
exists (\sum_k c k) => [|x]; first exact: sumr_ge0.
rewrite {1}(row_sum_delta x) /l1_norm mulr_sumr.
apply: (big_ind2 (fun a b => h a <= b)) => [|a s b t ha hb|k _].
- by rewrite -[X in h X](scale0r 0) hZ// mul0r.
- by apply: le_trans (hD a b) _; exact: ler_add.
apply: (@le_trans _ _ (c k * `|x 0 k|)); last by rewrite ler_wpmul2r// (bigD1 k)//= ler_addl sumr_ge0.
rewrite mulrC; have [x0|/ltW x0] := ger0P (x 0 k).
  by rewrite hZ// ler_wpmul2l// (le_trans (ler_norm _))// ler_addl.
rewrite -[X in h (X *: _)]opprK scaleNr -scalerN hZ ?oppr_ge0// ler_wpmul2l ?oppr_ge0//.
by rewrite (le_trans (ler_norm _))// ler_addr.
Qed.

Lemma measurable_gauge : measurable_fun setT (h : space R n -> R).
Proof.
have [C C0 hC] := gauge_bounded; apply: (measurable_lipschitz C0) => x y.
by rewrite -[x in h x](subrK y) addrC (le_trans (hD _ _))// ler_add.
Qed.
End gauge.
