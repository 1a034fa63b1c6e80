(* Covariances of nearby databases, for every p: compression.proposition-3-1, lemma-3-3, assumption-1, delta-max, and
   lines of theorem-4-6 and lemma-c-2. S1 and Sj stand for Sigma_1 and Sigma_j, given by their eigenvalues. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring.
From DPMatrix.matrices Require Import inner_products spectral_theorem eigenvalues spectral_norms projectors.
From DPMatrix.matrices Require Import subspace_perturbation second_moments.
Import GRing.Theory Num.Theory Order.TTheory.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope ring_scope.

Section covariances.
Variable R : rcfType.
Variable p : nat.
Implicit Types (A B D G Q : 'M[R]_p) (l : 'rV[R]_p).

(* compression.lemma-3-3; i stands for p. *)
Theorem least_eigenvalue_of_neighbour Q1 l1 S1 Qj lj Sj t (i : 'I_p) :
  spectrum Q1 l1 S1 -> spectrum Qj lj Sj -> spectral_bound (S1 - Sj) t -> i.+1 = p -> l1 0 i - t <= lj 0 i.
Proof.
move=> H1 Hj near _; have Hj' : spectrum Qj lj (S1 + (Sj - S1)) by rewrite addrC subrK.
have near' : spectral_bound (Sj - S1) t by rewrite -opprB; exact: spectral_boundN.
have := eigenvalue_shift i H1 Hj' near'; rewrite ler_norml => /andP[low _].
by rewrite addrC -ler_subr_addr.
Qed.

(* compression.assumption-1+repair. *)
Theorem least_eigenvalue_stays_away Q1 l1 S1 Qj lj Sj c s (i : 'I_p) :
  spectrum Q1 l1 S1 -> spectrum Qj lj Sj -> c <= l1 0 i -> spectral_bound (S1 - Sj) s -> i.+1 = p -> c - s <= lj 0 i.
Proof.
move=> H1 Hj cl near ip; apply: le_trans (least_eigenvalue_of_neighbour H1 Hj near ip).
by rewrite ler_add2r.
Qed.

(* compression.proposition-3-1, (7). *)
Theorem frobenius_of_small_entries D m : 0 <= m -> (forall i j, `|D i j| <= m) -> frobenius D <= p%:R * m.
Proof.
move=> m0 Dm; rewrite -(@ler_pexpn2r _ 2) ?nnegrE ?frobenius_ge0 ?mulr_ge0 ?ler0n // frobenius_sqr.
have -> : (p%:R * m) ^+ 2 = \sum_(i < p) \sum_(j < p) m ^+ 2.
  by rewrite !sumr_const card_ord -[_ *+ p]mulr_natl -[_ *+ p]mulr_natl; ring.
apply: ler_sum => i _; apply: ler_sum => j _.
by rewrite -(real_normK (num_real _)) ler_pexpn2r ?nnegrE ?normr_ge0.
Qed.

(* The inverse of a positive definite matrix, and its spectral norm. *)
Lemma inverse_bound Q l A (i : 'I_p) :
  spectrum Q l A -> i.+1 = p -> 0 < l 0 i -> A \in unitmx /\ spectral_bound (invmx A) (l 0 i)^-1.
Proof.
move=> S ip l0; have [QQ AE dl] := S.
have li j : l 0 i <= l 0 j by apply: dl; rewrite -ltnS ip.
have lp j : 0 < l 0 j by apply: lt_le_trans (li j).
have inv : A *m (Q *m diag_mx (\row_j (l 0 j)^-1) *m Q^T) = 1%:M.
  rewrite AE -!mulmxA [Q^T *m (Q *m _)]mulmxA QQ mul1mx [diag_mx l *m (_ *m _)]mulmxA mulmx_diag.
  have -> : diag_mx (\row_j (l 0 j * (\row_h (l 0 h)^-1) 0 j)) = 1%:M.
    apply/matrixP => j h; rewrite !mxE mulfV ?mulrb //.
    by rewrite gt_eqF.
  by rewrite mul1mx frame_right.
have [unitA _] := mulmx1_unit inv; split=> //; split; first by rewrite invr_ge0 ltW.
move=> y; set x := invmx A *m y; have yE : y = A *m x by rewrite /x mulmxA mulmxV // mul1mx.
rewrite exprVn mulrC ler_pdivl_mulr ?exprn_gt0 // yE (eigenvector_image x S) (norm2_coordinates x QQ) mulr_suml.
apply: ler_sum => j _; rewrite mulrC ler_wpmul2r ?sqr_ge0 //.
by rewrite ler_pexpn2r ?nnegrE ?(ltW l0) ?(ltW (lp j)) ?li.
Qed.

Section pair.
Variables (Q1 Qj : 'M[R]_p) (l1 lj : 'rV[R]_p) (S1 Sj : 'M[R]_p) (i : 'I_p).
Hypotheses (H1 : spectrum Q1 l1 S1) (Hj : spectrum Qj lj Sj) (ip : i.+1 = p) (d1 : 0 < l1 0 i) (dj : 0 < lj 0 i).
Let gamma := invmx Sj - invmx S1.
Let delta := S1 - Sj.

(* compression.proposition-3-1, step gamma. *)
Theorem gamma_is_a_product : gamma = invmx Sj *m delta *m invmx S1.
Proof.
have [u1 _] := inverse_bound H1 ip d1; have [uj _] := inverse_bound Hj ip dj.
by rewrite /delta mulmxBr mulmxBl mulVmx // mul1mx -mulmxA mulmxV // mulmx1.
Qed.

(* compression.proposition-3-1, (8). *)
Theorem frobenius_of_gamma : frobenius gamma <= frobenius delta / (l1 0 i * lj 0 i).
Proof.
have [_ b1] := inverse_bound H1 ip d1; have [_ bj] := inverse_bound Hj ip dj.
rewrite -(@ler_pexpn2r _ 2) ?nnegrE ?frobenius_ge0 ?divr_ge0 ?frobenius_ge0 ?mulr_ge0 ?(ltW d1) ?(ltW dj) //.
rewrite expr_div_n !frobenius_sqr gamma_is_a_product -mulmxA; apply: le_trans (frobenius2_product _ bj) _.
rewrite -frobenius2T trmx_mul.
have b1T : spectral_bound (invmx S1)^T (l1 0 i)^-1 by rewrite trmx_inv (spectrum_symmetric H1).
apply: le_trans (ler_wpmul2l (sqr_ge0 _) (frobenius2_product _ b1T)) _.
by rewrite frobenius2T mulrA -exprMn -invfM [lj 0 i * _]mulrC exprVn mulrC [X in X <= _]mulrC.
Qed.

(* compression.lemma-c-2, step first-inequality: h bounds the norm of S1, t that of S1 - Sj. *)
Theorem spectral_norm_of_gamma t h : spectral_bound delta t -> 0 <= h ->
  spectral_bound gamma (t / (lj 0 i * l1 0 i)) /\ h * (t / (lj 0 i * l1 0 i)) = t * h / (lj 0 i * l1 0 i).
Proof.
move=> Dt h0; have [_ b1] := inverse_bound H1 ip d1; have [_ bj] := inverse_bound Hj ip dj; split; last by rewrite mulrA [h * t]mulrC.
have := spectral_boundM (spectral_boundM bj Dt) b1; rewrite -gamma_is_a_product.
by rewrite invfM mulrA [t * _]mulrC.
Qed.
End pair.

(* compression.proposition-3-1: (7) and (8). *)
Theorem nearby_covariances Q1 l1 S1 Qj lj Sj m (i : 'I_p) :
  spectrum Q1 l1 S1 -> spectrum Qj lj Sj -> i.+1 = p -> 0 < l1 0 i -> 0 < lj 0 i ->
  (forall j h, `|(S1 - Sj) j h| <= m) ->
  frobenius (S1 - Sj) <= p%:R * m
  /\ frobenius (invmx Sj - invmx S1) <= frobenius (S1 - Sj) / (l1 0 i * lj 0 i).
Proof.
move=> H1 Hj ip d1 dj near; split; last exact: frobenius_of_gamma H1 Hj ip d1 dj.
by apply: (frobenius_of_small_entries _ near); apply: le_trans (near i i).
Qed.

(* compression.delta-max: (5) gives (6). *)
Theorem pairwise_distance (centre S1' S2' : 'M[R]_p) m :
  (forall j h, 2%:R * `|(S1' - centre) j h| <= m) -> (forall j h, 2%:R * `|(S2' - centre) j h| <= m) ->
  forall j h, `|(S1' - S2') j h| <= m.
Proof.
move=> c1 c2 j h; have -> : (S1' - S2') j h = (S1' - centre) j h - (S2' - centre) j h by rewrite !mxE; ring.
apply: le_trans (ler_norm_sub _ _) _.
rewrite -(@ler_pmul2l _ 2%:R) ?ltr0n // mulrDr [2%:R * m]mulr_natl mulr2n.
exact: ler_add.
Qed.

(* compression.theorem-4-6, steps largest-entry and vector-norm. *)
Theorem trace_by_largest_entry G B m : (forall j h, `|B j h| <= m) -> `|\tr (G *m B)| <= entrywise1 G * m.
Proof.
move=> Bm; apply: le_trans (ler_norm_sum _ _ _) _; rewrite /entrywise1 mulr_suml; apply: ler_sum => j _.
rewrite mxE mulr_suml; apply: le_trans (ler_norm_sum _ _ _) _; apply: ler_sum => h _.
by rewrite normrM ler_wpmul2l.
Qed.

Theorem vector_norm G : entrywise1 G <= p%:R * frobenius G.
Proof. exact: entrywise1_le. Qed.

End covariances.
